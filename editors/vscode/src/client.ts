// A language client that can be left at any time, also before its server has answered: its end is then nobody's concern.
// The library's own ends the server, too, but tells the user that starting failed, and starts it again.
import {
  CloseAction,
  type ErrorHandler,
  LanguageClient,
  type LanguageClientOptions,
  type ServerOptions,
} from 'vscode-languageclient/node';
import { showProblem } from './messages';

export class Client extends LanguageClient {
  private left = false;

  constructor(id: string, name: string, server: ServerOptions, options: LanguageClientOptions) {
    super(id, name, server, options);
    this.clientOptions.initializationFailedHandler = (problem) => {
      if (!this.left) {
        showProblem(problem);
      }
      return false;
    };
  }

  override dispose(timeout?: number): Promise<void> {
    this.left = true;
    return super.dispose(timeout);
  }

  override error(message: string, data?: unknown, show?: boolean | 'force'): void {
    super.error(message, data, this.left ? false : show);
  }

  override createDefaultErrorHandler(restarts?: number): ErrorHandler {
    const usual = super.createDefaultErrorHandler(restarts);
    return {
      error: (...problem) => usual.error(...problem),
      closed: () => (this.left ? { action: CloseAction.DoNotRestart, handled: true } : usual.closed()),
    };
  }
}
