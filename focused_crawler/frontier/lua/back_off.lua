-- A host refuses. `mark` tells one refusal from another, so that one that is told twice counts once.
local host, mark, seconds = named(ARGV[4]), ARGV[5], tonumber(ARGV[6])
if mark == '' or host.mark ~= mark then
  host.mark = mark
  host.refusals = host.refusals + 1
  local wait = seconds and max(0, seconds) or patience(host)
  host.ready_at = max(host.ready_at, NOW + min(wait, LONGEST_WAIT))
  if host.refusals >= MAX_REFUSALS and not is_closed(host) then close(host) end
end
touch(host)
local refusals, closed, ready_at = host.refusals, is_closed(host), host.ready_at
return { finish_step(), refusals, closed and 1 or 0, pack('>d', ready_at) }
