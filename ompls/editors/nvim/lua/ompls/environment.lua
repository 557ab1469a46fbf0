-- The data environment: the present table of each device at the cursor, in a window that follows it.
-- Enter on a row goes to its source.
local server = require('ompls.server')

local M = {}
local NAME = 'ompls://data-environment'
local MARKS = { certain = '=', possible = '?', unknown = '-' }
local places = {} -- by line of the buffer: where it leads
local asked = 0
local last -- the client and the parameters of what is shown
local measured -- of a run: which time it came by is shown (`visit`), and how often it did (`visits`)

local function fill(buffer, lines)
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].modifiable = false
end

--- The lines of an answer, and where each leads.
local function lines_of(answer)
  local lines, found = {}, {}
  local function add(text, location)
    table.insert(lines, text)
    found[#lines] = location
  end
  if answer.message ~= '' then
    add(answer.message)
  end
  if answer.measured then
    add(answer.measured.text, answer.measured.location)
  end
  for _, device in ipairs(answer.devices) do
    add(device.title)
    for _, entry in ipairs(device.entries) do
      local mark = entry.differs and '!' or MARKS[entry.certainty] or '?'
      local ran = entry.measured and ' │ the run: ' .. entry.measured or ''
      add(('  %s %s  %s%s'):format(mark, entry.label, entry.detail, ran), entry.location)
      for _, fact in ipairs(entry.facts) do
        local where = fact.location and (' (line %d)'):format(fact.location.range.start.line + 1) or ''
        add('      ' .. fact.text .. where, fact.location)
      end
    end
  end
  return lines, found
end

local function buffer_of_view()
  local buffer = vim.fn.bufnr(NAME)
  return buffer ~= -1 and vim.fn.bufwinid(buffer) ~= -1 and buffer or nil
end

--- Ask for a place, if the window is open.
local function ask(client, params)
  local view = buffer_of_view()
  if not view then
    return
  end
  asked = asked + 1
  last = { client = client, params = params }
  local number = asked
  client:request('ompls/dataEnvironment', params, function(problem, answer)
    if number == asked and vim.api.nvim_buf_is_valid(view) then
      local lines = problem and vim.split(problem.message, '\n') or {}
      places = {}
      if answer then
        lines, places = lines_of(answer)
        measured = answer.measured
      end
      fill(view, lines)
    end
  end)
end

--- Ask for the place of the cursor, if it is in a file of the server's, or in a preview of one.
function M.refresh()
  local here = vim.api.nvim_get_current_buf()
  local of_preview = vim.b[here].ompls_source and require('ompls.preview').place(here)
  local file = of_preview and vim.uri_to_bufnr(of_preview.textDocument.uri) or here
  local client = vim.lsp.get_clients({ name = 'ompls', bufnr = file })[1]
  if client then
    ask(client, of_preview or server.position(client))
  end
end

local refresh_soon = server.later(100, M.refresh)

--- Ask for the same place again: a run was measured.
function M.again()
  if last and vim.lsp.get_client_by_id(last.client.id) then
    ask(last.client, last.params)
  end
end

--- Show an earlier (-1) or later (1) time that the run came by.
local function step(by)
  if measured then
    local visit = math.min(math.max(measured.visit + by, 1), measured.visits)
    ask(last.client, vim.tbl_extend('force', last.params, { visit = visit }))
  end
end

local function go()
  local location = places[vim.api.nvim_win_get_cursor(0)[1]]
  local client = location and server.running(0)
  if client then
    local window = vim.fn.bufwinid(vim.uri_to_bufnr(location.uri))
    if window ~= -1 then
      vim.api.nvim_set_current_win(window)
    else
      vim.cmd('wincmd p')
    end
    vim.lsp.util.show_document(location, client.offset_encoding, { focus = true })
  end
end

--- What was asked for is not there: what is shown is of another file.
local function forget()
  local view = buffer_of_view()
  asked, last, places = asked + 1, nil, {}
  if view then
    fill(view, { 'The cursor is in no C file.' })
  end
end

function M.open()
  local here = vim.api.nvim_get_current_buf()
  if here == vim.fn.bufnr(NAME) then
    return
  end
  local preview = vim.b[here].ompls_source and require('ompls.preview').place(here)
  if not server.at(preview and vim.uri_to_bufnr(preview.textDocument.uri) or here) then
    return forget()
  end
  if not buffer_of_view() then
    local buffer = vim.fn.bufadd(NAME)
    vim.fn.bufload(buffer)
    vim.bo[buffer].buftype, vim.bo[buffer].swapfile, vim.bo[buffer].modifiable = 'nofile', false, false
    vim.bo[buffer].filetype = 'ompls-environment'
    for key, by in pairs({ ['<'] = -1, ['>'] = 1 }) do
      vim.keymap.set('n', key, function()
        step(by)
      end, { buffer = buffer, nowait = true, desc = by < 0 and 'The time before in the run' or 'The next time in the run' })
    end
    vim.keymap.set('n', '<CR>', go, { buffer = buffer, desc = 'Go to its source' })
    local window = vim.api.nvim_open_win(buffer, false, { split = 'below', win = -1, height = 10 })
    vim.wo[window].wrap = false
    vim.api.nvim_create_autocmd({ 'CursorMoved', 'CursorMovedI', 'TextChanged', 'TextChangedI', 'LspAttach' }, {
      group = vim.api.nvim_create_augroup('ompls-environment', { clear = true }),
      callback = refresh_soon,
    })
  end
  M.refresh()
end

return M
