// Starts `sonnx-verify lsp` for formal texts and pages, and shows verdicts in a document of their own.
const { workspace, window } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = async () => {
  const settings = workspace.getConfiguration("sonnx-verify");
  const [command, ...args] = settings.get("command");
  client = new LanguageClient(
    "sonnx-verify",
    "sonnx-verify",
    { command, args },
    {
      documentSelector: [{ language: "sonnx" }, { language: "markdown" }],
      synchronize: { fileEvents: workspace.createFileSystemWatcher("**/*.{sonnx,md}") },
      initializationOptions: { prove: settings.get("prove"), showsVerdicts: true },
      middleware: {
        executeCommand: async (name, values, next) => {
          const said = await next(name, values);
          if (typeof said === "string" && said) {
            window.showTextDocument(await workspace.openTextDocument({ content: said }), { preview: true });
          }
        },
      },
    },
  );
  await client.start();
};

exports.deactivate = () => client && client.stop();
