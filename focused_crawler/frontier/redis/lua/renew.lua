-- A new run: hosts that were closed are opened unless they have given their pages, others that have are closed.
-- Where the rules have changed the worst pending URLs are found anew.
local is_changed = ARGV[4] == '1'
for at = 5, #ARGV do
  local host = Host.named(ARGV[at])
  if Host.is_closed(host) then
    Host.open(host)
  elseif Host.is_spent(host) then
    Host.close(host)
  end
  if is_changed and not Host.is_closed(host) then Host.rank(host) end
end
return { finish_step() }
