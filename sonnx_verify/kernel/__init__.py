"""The kernel: the values of the language and the forms that build them, each with what it asks to be defined.

The elaborator proposes: it reads a text, finds out what each name means, and calls forms. It can do nothing else, since
no file of `language` builds a term or asks a condition by itself (tests/language/test_forms.py). So whatever the
elaborator does, a value is one that forms make, and the side conditions are those that its forms ask, closed over the
frames that were around them.

    values          terms, shapes, tensors, lists, sets, sets of results
    frames          what is around a place: binders, guards, the clause, calls
    notes           the conditions that are asked, the branches, the restrictions that are supposed
    core            the state of all forms, and operations on elements
    arithmetic, conversions, comparisons, functions, reads, guards, ranges, folds, makers, results, recursions
                    the forms

A form is a function whose first argument is the kernel. Its docstring says what it means and what it asks. Values that
are undefined in the language have some value in the logic, of which nothing is known: each form that could give one
asks, in the same call, for the condition under which it does not.
"""
