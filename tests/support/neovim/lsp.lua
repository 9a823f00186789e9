-- Edits a tool in Neovim with the language server, as a person would, and prints what the editor showed as JSON.
--
-- usage: nvim --headless --clean -c "luafile lsp.lua", with the program and the file in MINISMITH and TOOL

local seen = { fixed = {} }

local function wait_for(what, condition)
  if not vim.wait(60000, condition, 20) then
    error("waited in vain for " .. what)
  end
end

local function diagnostics()
  local found = {}
  for _, diagnostic in ipairs(vim.diagnostic.get(0)) do
    table.insert(found, {
      code = diagnostic.code,
      line = diagnostic.lnum,
      text = vim.api.nvim_buf_get_text(
        0, diagnostic.lnum, diagnostic.col, diagnostic.end_lnum, diagnostic.end_col, {}
      )[1],
      severity = diagnostic.severity,
    })
  end
  return found
end

-- Asks at the cursor, and returns the result of the one server.
local function ask(method)
  local params = vim.lsp.util.make_position_params(0, "utf-16")
  local answers = vim.lsp.buf_request_sync(0, method, params, 60000)
  for _, answer in pairs(answers or {}) do
    return answer.result
  end
end

-- Chooses the first quick fix from the menu of code actions.
vim.ui.select = function(items, options, choose)
  for number, item in ipairs(items) do
    local title = options.format_item(item)
    if not title:find("Rehearse", 1, true) then
      table.insert(seen.fixed, title)
      return choose(item, number)
    end
  end
  choose(nil, nil)
end

local function edit()
  vim.cmd("edit " .. vim.env.TOOL)
  local server = { name = "minismith", cmd = { vim.env.MINISMITH, "lsp" }, root_dir = vim.fn.getcwd() }
  if vim.lsp.start then
    vim.lsp.start(server)
  else
    -- Neovim 0.7.
    vim.lsp.buf_attach_client(0, vim.lsp.start_client(server))
  end
  wait_for("diagnostics", function() return #vim.diagnostic.get(0) > 0 end)
  seen.diagnostics = diagnostics()

  vim.fn.search("; robot\\.\\zs")
  seen.completion = {}
  for _, item in ipairs(ask("textDocument/completion").items) do
    table.insert(seen.completion, item.label)
  end
  vim.fn.search("head(")
  seen.hover = ask("textDocument/hover").contents.value

  while #vim.diagnostic.get(0) > 0 and #seen.fixed < 10 do
    local first = vim.diagnostic.get(0)[1]
    vim.api.nvim_win_set_cursor(0, { first.lnum + 1, first.col })
    local before, count = vim.b.changedtick, #vim.diagnostic.get(0)
    vim.lsp.buf.code_action()
    wait_for("the quick fix", function() return vim.b.changedtick > before end)
    wait_for("the next check", function() return #vim.diagnostic.get(0) < count end)
  end
  vim.cmd("write")
end

local done, why = pcall(edit)
seen.failed = not done and tostring(why) or nil
io.stdout:write(vim.fn.json_encode(seen), "\n")
vim.cmd("qall!")
