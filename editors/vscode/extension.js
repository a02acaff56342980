// Starts `sonnx-verify lsp` for formal texts and pages, and shows what it says of verdicts: in the gutter, and in a
// document of their own where somebody asks for one.
const { commands, window, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

// The states that the notification `sonnx-verify/verdicts` speaks of, each with a picture of its name.
const STATES = ["proved", "refuted", "undecided", "expected", "stale"];
const RULER = { proved: undefined, refuted: "#d13438", undecided: "#c98a00", expected: undefined, stale: undefined };

let client;
let decorations = {};
const marks = new Map();

const settings = () => workspace.getConfiguration("sonnx-verify");

function makeDecorations(context) {
  for (const state of STATES) {
    decorations[state] = window.createTextEditorDecorationType({
      gutterIconPath: context.asAbsolutePath(`images/${state}.svg`),
      gutterIconSize: "contain",
      overviewRulerColor: RULER[state],
    });
    context.subscriptions.push(decorations[state]);
  }
}

function paintEditor(editor) {
  const lines = (settings().get("gutterIcons") && marks.get(editor.document.uri.toString())) || [];
  for (const state of STATES) {
    const those = lines.filter((line) => line.state === state);
    editor.setDecorations(
      decorations[state],
      those.map((line) => ({
        range: client.protocol2CodeConverter.asRange(line.range),
        hoverMessage: line.title,
      })),
    );
  }
}

function paintAll() {
  window.visibleTextEditors.filter((editor) => editor.document.languageId === "sonnx").forEach(paintEditor);
}

function onVerdicts({ uri, lines }) {
  // As VS Code spells the address, which may escape other characters than the server does.
  marks.set(client.protocol2CodeConverter.asUri(uri).toString(), lines);
  paintAll();
}

async function showVerdicts(name, values, next) {
  const said = await next(name, values);
  if (typeof said === "string" && said) {
    window.showTextDocument(await workspace.openTextDocument({ content: said }), { preview: true });
  }
}

async function start() {
  const [command, ...args] = settings().get("command");
  client = new LanguageClient(
    "sonnx-verify",
    "sonnx-verify",
    { command, args },
    {
      documentSelector: [{ language: "sonnx" }, { language: "markdown" }],
      synchronize: { fileEvents: workspace.createFileSystemWatcher("**/*.{sonnx,md}") },
      initializationOptions: {
        prove: settings().get("prove"),
        inlayHints: settings().get("inlayHints"),
        showsVerdicts: true,
        showsMarks: true,
      },
      middleware: { executeCommand: showVerdicts },
    },
  );
  client.onNotification("sonnx-verify/verdicts", onVerdicts);
  await client.start();
}

async function stop() {
  marks.clear();
  paintAll();
  if (client) {
    await client.stop();
  }
}

exports.activate = async (context) => {
  makeDecorations(context);
  context.subscriptions.push(
    commands.registerCommand("sonnx-verify.restart", async () => {
      await stop();
      await start();
    }),
    window.onDidChangeVisibleTextEditors(paintAll),
    workspace.onDidCloseTextDocument((document) => marks.delete(document.uri.toString())),
    workspace.onDidChangeConfiguration((event) => event.affectsConfiguration("sonnx-verify.gutterIcons") && paintAll()),
  );
  await start();
};

exports.deactivate = stop;
