-- A new run: hosts that were closed are opened unless they have given their pages, others that have are closed.
-- Where the rules have changed the worst pending URLs are found anew.
local is_changed = ARGV[4] == '1'
for at = 5, #ARGV do
  local host = named(ARGV[at])
  if is_closed(host) then
    open(host)
  elseif is_spent(host) then
    close(host)
  end
  if is_changed and not is_closed(host) then rank(host) end
end
return { finish_step() }
