-- A host refuses. `mark` tells one refusal from another, so that one that is sent twice counts once.
local host, mark, seconds = Host.named(ARGV[4]), ARGV[5], tonumber(ARGV[6])
if mark == '' or host.mark ~= mark then
  host.mark = mark
  host.refusals = host.refusals + 1
  local wait = seconds and max(0, seconds) or Host.patience(host)
  host.ready_at = max(host.ready_at, NOW + min(wait, LONGEST_WAIT))
  if host.refusals >= MAX_REFUSALS and not Host.is_closed(host) then Host.close(host) end
end
Host.touch(host)
local refusals, closed, ready_at = host.refusals, Host.is_closed(host), host.ready_at
return { finish_step(), refusals, closed and 1 or 0, pack('>d', ready_at) }
