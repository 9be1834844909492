-- Let a URL that was refused wait for the host that was asked; return whether it is queued again.
local id, tries, asked, refusals, closed, ready_at = ARGV[4], tonumber(ARGV[5]), ARGV[6], tonumber(ARGV[7]),
  ARGV[8] == '1', parse('>d', ARGV[9])

local function put_off()
  local record = Url.find(id)
  if not record or not Url.has_body(record) then return false end
  local state, home = Url.state_of(record), Host.named(Url.host_name(record))
  local lease = state == 'L' and Lease.of(id)
  if lease and lease.worker ~= WORKER then return true end
  if state ~= 'L' and state ~= 'W' and not (state == 'P' and not Host.is_closed(home)) then return false end
  local is_last = (tries >= 0 and tries or Url.tries_of(record)) + 1 >= MAX_TRIES
  if (is_last and refusals == 1) or (closed and asked ~= home.name) then
    Lease.end_url(id, 'f', '')
    return false
  end
  Lease.retry(id, record, tries, is_last and 0 or 1, ready_at)
  return not Host.is_closed(home)
end

local is_queued = put_off()
return { finish_step(), is_queued and 1 or 0 }
