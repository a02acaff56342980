" Colours before the server has started, and without it. The words are those of the grammar of the language.
if exists("b:current_syntax")
  finish
endif
syntax keyword sonnxKeyword add all and any as assuming attribute axiom before by class classes clause constraint count default define draft else error every exact example exists expect fact fails false for from general greatest if iff in indices induction input is least let library list max min model move not of on open operator optional or order otherwise outcome output outside page pinned product profile reading recursion refines refused remove replace restriction set so standard steps sum take tensor text the then theorem theory to true type types undefined unspecified use user using value version when where with within wrapping
syntax keyword sonnxType T bfloat16 bool double float float16 float8e4m3fn float8e5m2 floats index int int16 int2 int32 int4 int64 int8 ints real shape string strings uint16 uint2 uint32 uint4 uint64 uint8
syntax keyword sonnxFunction axes cos div erf exactly_one exp fma fmod given ieee_equal is_infinite is_nan is_negative is_positive is_zero log mod pow rank remainder round_away round_down round_even round_to_zero round_up sin sqrt tanh
syntax match sonnxNumber "\<\d\+\(\.\d\+\)\?\>"
syntax match sonnxTag "^\s*\[[A-Za-z_][A-Za-z0-9_., ]*\]"
syntax match sonnxOperator "=>\|<=\|>=\|!=\|\.\.\|->\|[-+*^=<>|]"
syntax region sonnxString start=+"+ end=+"+ oneline
syntax match sonnxComment "--.*$"
highlight default link sonnxKeyword Keyword
highlight default link sonnxType Type
highlight default link sonnxFunction Function
highlight default link sonnxNumber Number
highlight default link sonnxTag Label
highlight default link sonnxOperator Operator
highlight default link sonnxString String
highlight default link sonnxComment Comment
let b:current_syntax = "sonnx"
