// The language client and its life: started once, restarted one at a time, stopped with the window.
import * as path from 'node:path';
import * as vscode from 'vscode';
import {
  type ClientCapabilities,
  type FeatureState,
  type LanguageClient,
  type LanguageClientOptions,
  type ServerOptions,
  State,
  type StaticFeature,
  TransportKind,
} from 'vscode-languageclient/node';
import { Client } from './client';
import { DOCUMENTS } from './documents';
import { colours } from './features/colours';
import { texts } from './features/preview';
import { harmless } from './messages';
import { findServer, type Server } from './server';

export type Health = 'starting' | 'running' | 'stopped' | 'missing';

/** The commands that this extension runs itself; the server then does not offer them. */
const OWN_COMMANDS = ['ompls.preview', 'ompls.run', 'ompls.whyNoAnswer'];

const LIMIT = 60_000; // ms that a server may take to answer `initialize`

const TOLD = 'ompls.versions'; // which versions did not fit together when somebody was last told

class Announcement implements StaticFeature {
  fillClientCapabilities(capabilities: ClientCapabilities): void {
    const experimental = (capabilities.experimental ?? {}) as Record<string, unknown>;
    const ours = { commands: OWN_COMMANDS, inactiveRegions: true, choosesDevice: true };
    capabilities.experimental = { ...experimental, ompls: ours };
  }
  initialize(): void {}
  getState(): FeatureState {
    return { kind: 'static' };
  }
  clear(): void {}
}

export class Connection {
  private client: LanguageClient | undefined;
  private restarting: Promise<void> | undefined;
  private again = false;
  /** Ends the wait for the server that is being started. */
  private giveUp: ((why: string) => void) | undefined;
  private readonly changed = new vscode.EventEmitter<Health>();
  private readonly clientChanged = new vscode.EventEmitter<LanguageClient>();
  /** Fires after a run that was asked to be measured. */
  readonly measured = new vscode.EventEmitter<void>();
  health: Health = 'stopped';
  /** The program that was started last. */
  server: Server | undefined;
  /** Fires whenever the server starts, stops or cannot be found. */
  readonly onHealth = this.changed.event;
  /** Fires for each new client, before it starts: the place to register handlers of notifications. */
  readonly onClient = this.clientChanged.event;

  constructor(
    private readonly context: vscode.ExtensionContext,
    readonly log: vscode.LogOutputChannel,
  ) {
    context.subscriptions.push(
      this.changed,
      this.clientChanged,
      this.measured,
      vscode.commands.registerCommand('ompls.restart', () => this.restart('asked for')),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.restart('the workspace is trusted now')),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('ompls.server')) {
          void this.restart('its settings have changed');
        }
      }),
    );
  }

  /** Single-flight: one that is asked for during another one follows it, once, and does not wait for a server's answer. */
  restart(why: string): Promise<void> {
    if (this.restarting) {
      this.again = true;
      this.giveUp?.(why);
      return this.restarting;
    }
    this.restarting = (async () => {
      do {
        this.again = false;
        this.log.info(`starting the server: ${why}`);
        await this.stop();
        await this.start();
      } while (this.again);
    })().finally(() => {
      this.restarting = undefined;
    });
    return this.restarting;
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (client) {
      await client.dispose().catch((problem: unknown) => this.log.warn(`stopping the server: ${String(problem)}`));
      this.report('stopped');
    }
  }

  /** Ask the server. Rejects with a readable message when there is none. */
  async request<T>(method: string, params: unknown, token?: vscode.CancellationToken): Promise<T> {
    await this.restarting;
    const client = this.client;
    if (!client || this.health !== 'running') {
      throw new Error('the ompls server is not running; see "ompls: Show Log"');
    }
    return token ? client.sendRequest<T>(method, params, token) : client.sendRequest<T>(method, params);
  }

  /** Tell the server, if there is one. */
  notify(method: string, params: unknown): void {
    if (this.client && this.health === 'running') {
      void this.client.sendNotification(method, params);
    }
  }

  private async start(): Promise<void> {
    const found = await findServer(this.log, path.join(this.context.extensionPath, 'bundled'));
    this.server = found;
    if (!found) {
      this.report('missing');
      void this.offerHelp();
      return;
    }
    const server: ServerOptions = { ...found, transport: TransportKind.stdio };
    const options: LanguageClientOptions = {
      documentSelector: DOCUMENTS,
      initializationOptions: {
        trusted: vscode.workspace.isTrusted,
        settings: vscode.workspace.getConfiguration().get('ompls'),
      },
      outputChannel: this.log,
      markdown: { isTrusted: false },
      middleware: { ...colours, ...texts },
    };
    const client = new Client('ompls', 'ompls', server, options);
    client.registerFeature(new Announcement());
    client.onDidChangeState(({ newState }) => {
      if (client === this.client) {
        this.report(newState === State.Running ? 'running' : newState === State.Starting ? 'starting' : 'stopped');
      }
    });
    this.client = client;
    this.clientChanged.fire(client);
    const began = Date.now();
    const givenUp = new Promise<string>((resolve) => {
      this.giveUp = resolve;
    });
    const timer = setTimeout(() => void this.offerRestart(), LIMIT);
    try {
      const why = await Promise.race([client.start(), givenUp]);
      if (why) {
        this.log.warn(`the server is given up before it has answered: ${why}`);
        await this.stop();
        return;
      }
      this.log.info(`the server answers after ${Date.now() - began} ms`);
      const [theirs, ours] = [client.initializeResult?.serverInfo?.version, this.context.extension.packageJSON.version];
      if (theirs !== ours) {
        void this.warnOfVersions(theirs ?? 'unknown', ours);
      }
    } catch (problem) {
      this.log.error(`the server did not start: ${String(problem)}`);
      this.report('stopped');
    } finally {
      clearTimeout(timer);
      this.giveUp = undefined;
    }
  }

  /** The server has not answered in time: it is ended. */
  private async offerRestart(): Promise<void> {
    const late = `the server has not answered within ${LIMIT / 1000} s`;
    this.giveUp?.(late);
    const [restart, log] = ['Restart Server', 'Show Log'];
    const message = `ompls: ${late} and was stopped: "ompls: Show Log" says which program it is (setting ompls.server.path).`;
    const chosen = await vscode.window.showErrorMessage(message, restart, log);
    if (chosen) {
      await vscode.commands.executeCommand(chosen === restart ? 'ompls.restart' : 'ompls.showLog');
    }
  }

  private report(health: Health): void {
    this.health = health;
    this.changed.fire(health);
  }

  /** Once for each pair of versions: some of what the extension asks may not be answered. */
  private async warnOfVersions(theirs: string, ours: string): Promise<void> {
    const differs = `the server is of version ${theirs}, the extension of ${ours}: some of it may not work`;
    this.log.warn(differs);
    const pair = `${theirs} ${ours}`;
    if (this.context.globalState.get<string>(TOLD) === pair) {
      return;
    }
    await this.context.globalState.update(TOLD, pair);
    const settings = 'Open Settings';
    const next = `install ompls ${ours} ("pip install ompls==${ours}"), or set ompls.server.path to another one.`;
    if ((await vscode.window.showWarningMessage(harmless(`ompls: ${differs}; ${next}`), settings)) === settings) {
      await vscode.commands.executeCommand('workbench.action.openSettings', 'ompls.server.path');
    }
  }

  private async offerHelp(): Promise<void> {
    const settings = 'Open Settings';
    const message = 'ompls: no server found: install Python 3.10 or later and the package ompls, or set ompls.server.path.';
    if ((await vscode.window.showErrorMessage(message, settings)) === settings) {
      await vscode.commands.executeCommand('workbench.action.openSettings', 'ompls.server.path');
    }
  }
}
