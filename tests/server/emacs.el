;; Run by test_emacs.py in a real Emacs with eglot, on a file with one mistake in a pragma.
;; Prints a line for each thing that a user would see; the test compares them.
(require 'eglot)
(require 'flymake)
(require 'eldoc)

(defun say (format &rest values)
  (princ (concat (apply #'format format values) "\n")))

(defun wait (what condition)
  (let ((end (+ (float-time) 60)))
    (while (not (funcall condition))
      (when (> (float-time) end)
        (say "TIMEOUT %s" what)
        (kill-emacs 1))
      (accept-process-output nil 0.05))))

(setq eglot-autoshutdown nil
      eglot-sync-connect 30
      project-vc-ignores nil)
(add-to-list 'eglot-server-programs (list 'c-mode (getenv "OMPLS") "serve"))
(find-file (car command-line-args-left))
(setq command-line-args-left nil)
(c-mode)
(eglot-ensure)
(eglot--maybe-activate-editing-mode)
(unless (eglot-current-server)
  (apply #'eglot (eglot--guess-contact)))
(wait "the server" #'eglot-current-server)
(say "server %s" (plist-get (eglot--server-info (eglot-current-server)) :name))

(wait "a diagnostic" (lambda () (flymake-start) (accept-process-output nil 0.1) (flymake-diagnostics)))
(let ((found (car (flymake-diagnostics))))
  (say "under the mistake: %s" (buffer-substring (flymake-diagnostic-beg found) (flymake-diagnostic-end found))))

;; the first of the quick fixes is chosen, with the keyboard
(setq last-nonmenu-event ?a)
(goto-char (flymake-diagnostic-beg (car (flymake-diagnostics))))
(cl-letf (((symbol-function 'completing-read) (lambda (_ choices &rest _) (caar choices)))
          ((symbol-function 'y-or-n-p) (lambda (&rest _) t)))
  (eglot-code-actions (point) (point) "quickfix" t))
(say "repaired: %s" (string-trim (thing-at-point 'line t)))
(eglot--signal-textDocument/didChange) ; as eglot does when Emacs is idle, which it never is here
(wait "no diagnostic" (lambda () (flymake-start) (accept-process-output nil 0.1) (null (flymake-diagnostics))))
(say "diagnostics: none")

(search-forward "x[i]")
(goto-char (match-beginning 0))
(let* ((answer (jsonrpc-request (eglot-current-server) :textDocument/hover (eglot--TextDocumentPositionParams)))
       (text (plist-get (plist-get answer :contents) :value)))
  (say "hover: %s" (if (string-match-p "map" (or text "")) "how it is mapped" text)))
(let ((answer (jsonrpc-request (eglot-current-server) :ompls/dataEnvironment (eglot--TextDocumentPositionParams))))
  (say "data environment: %s" (plist-get (aref (plist-get answer :devices) 0) :title)))
(kill-emacs 0)
