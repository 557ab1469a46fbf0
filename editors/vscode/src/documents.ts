// Which documents the server hears of.
import type { DocumentSelector } from 'vscode-languageclient/node';

/** What is not C it does not check: it says so there.  VS Code calls all headers C++. */
const NOT_C = ['cpp', 'cuda-cpp', 'fortran', 'fortran-modern', 'FortranFreeForm', 'FortranFixedForm'];

/** Previews are among them: a server that was started again learns so what is shown, and has it refreshed. */
export const DOCUMENTS: DocumentSelector = [
  { language: 'c' },
  { scheme: 'ompls-preview' },
  ...NOT_C.map((language) => ({ scheme: 'file', language })),
];
