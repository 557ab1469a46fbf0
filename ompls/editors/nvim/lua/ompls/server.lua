-- Which `ompls` is the server, and how it is asked.
local M = {}

-- Neovim calls headers C++; what is not C is only told so.
M.filetypes = { 'c', 'cpp', 'cuda', 'fortran' }

--- The places that are looked at, in this order: { what, path or nil }.  The first that has a path is taken.
function M.places()
  local found = {}
  local set = vim.g.ompls_server
  table.insert(found, { 'vim.g.ompls_server', set and vim.fs.normalize(set) })
  local on_path
  for _, directory in ipairs(vim.split(vim.env.PATH or '', ':')) do
    local file = directory .. '/ompls'
    -- absolute directories only: the folder that is open must not slip one in
    if not on_path and vim.startswith(directory, '/') and vim.fn.executable(file) == 1 then
      on_path = file
    end
  end
  table.insert(found, { 'the PATH', on_path })
  local known, installed = pcall(require, 'ompls.installed')
  local there = known and vim.fn.executable(installed) == 1
  table.insert(found, { 'the ompls that installed this plugin', there and installed or nil })
  return found
end

--- The server's absolute path; nil: there is none.
function M.find()
  for _, place in ipairs(M.places()) do
    if place[2] then
      return place[2]
    end
  end
end

--- Say once that there is no server: Neovim itself says nothing of it.
function M.warn_when_missing()
  local file = M.find()
  if file and vim.fn.executable(file) == 1 then
    return
  end
  local reason = file and (file .. ' is no program') or "there is no 'ompls' on the PATH"
  vim.notify_once('ompls: no server: ' .. reason .. '; pip install ompls, or set vim.g.ompls_server (:checkhealth ompls)', vim.log.levels.WARN)
end

--- Whether a server was started and has not answered yet; Neovim names only those that have.
function M.starting()
  return #vim.lsp.get_clients({ name = 'ompls', _uninitialized = true }) > #vim.lsp.get_clients({ name = 'ompls' })
end

--- The server that the buffer is open in, or any: it may have been started again since.
function M.running(buffer, quiet)
  local client = vim.lsp.get_clients({ name = 'ompls', bufnr = buffer })[1] or vim.lsp.get_clients({ name = 'ompls' })[1]
  if not client and not quiet then
    local state = M.starting() and 'is starting; ask again in a moment' or 'is not running (:checkhealth ompls)'
    vim.notify('ompls: the server ' .. state, vim.log.levels.ERROR)
  end
  return client
end

--- The server for what is asked at the cursor of a buffer; where that is no C file, this is said.
function M.at(buffer)
  local number = buffer == 0 and vim.api.nvim_get_current_buf() or buffer
  local client = vim.lsp.get_clients({ name = 'ompls', bufnr = number })[1]
  if client or vim.tbl_contains(M.filetypes, vim.bo[number].filetype) then
    return client or M.running(number)
  end
  local name = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(number), ':t')
  local what = name ~= '' and ("'%s'"):format(name) or 'this buffer'
  vim.notify(('ompls: %s is no C file; go to one first'):format(what), vim.log.levels.ERROR)
end

--- The document and the position of the cursor, as requests of ours name them.
function M.position(client)
  return vim.lsp.util.make_position_params(0, client.offset_encoding)
end

--- Ask; what is refused is shown, unless it is `quiet`.
function M.ask(client, method, params, handle, quiet)
  return client:request(method, params, function(problem, answer)
    if not problem then
      handle(answer)
    elseif not quiet then
      vim.notify(problem.message, vim.log.levels.ERROR)
    end
  end)
end

--- A function that does `work` once it was not called for so many milliseconds.  Each has a timer of its own, for good.
function M.later(milliseconds, work)
  local timer = assert(vim.uv.new_timer())
  return function()
    timer:start(milliseconds, 0, vim.schedule_wrap(work))
  end
end

return M
