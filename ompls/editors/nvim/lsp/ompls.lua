-- The server as Neovim 0.11 starts it (`vim.lsp.enable('ompls')`); `vim.lsp.config('ompls', {…})` changes any of it.
local server = require('ompls.server')

return {
  cmd = { server.find() or 'ompls', 'serve', '--stdio' },
  cmd_cwd = '/', -- a Python program must not find modules of the folder that is open where it starts
  filetypes = server.filetypes,
  root_dir = function(buffer, found)
    if vim.bo[buffer].buftype == '' then -- previews are no files
      found(vim.fs.root(buffer, function(name) -- a list of names would rank them: the nearest folder that has any
        return vim.tbl_contains({ '.ompls.toml', 'compile_commands.json', 'compile_flags.txt', '.git' }, name)
      end))
    end
  end,
  capabilities = {
    workspace = { codeLens = { refreshSupport = true } },
    experimental = {
      ompls = {
        commands = { 'ompls.preview', 'ompls.run', 'ompls.whyNoAnswer' },
        inactiveRegions = true,
        choosesDevice = true,
      },
    },
  },
  commands = {
    ['ompls.preview'] = function(command)
      require('ompls').preview(command.arguments[1])
    end,
    ['ompls.run'] = function(command)
      require('ompls').run(command.arguments[1])
    end,
  },
  handlers = {
    ['workspace/codeLens/refresh'] = function(_, _, context)
      require('ompls.lenses').refresh(context.client_id)
      return vim.NIL
    end,
    ['ompls/inactiveRegions'] = function(_, inactive)
      require('ompls.inactive').dim(vim.uri_to_bufnr(inactive.textDocument.uri), inactive.regions)
    end,
    ['ompls/runOutput'] = function(_, output)
      require('ompls.run').output(output)
    end,
  },
}
