-- Make pending again what a worker has out, or has ended and not acknowledged. Their hosts are held for their delay
-- where the worker may have asked them until now.
local worker, is_held = ARGV[4], ARGV[5] == '1'

local function hold(name)
  if is_held and name ~= '' then
    local host = Host.named(name)
    Host.ask(host, max(NOW, host.asked_at))
    Host.touch(host)
  end
end

local urls = 0
for at = 6, #ARGV do
  local kind, id = sub(ARGV[at], 1, 1), sub(ARGV[at], 2)
  if call('ZREM', OWNED, worker .. '\0' .. ARGV[at]) == 1 then
    local lease = kind ~= 'E' and Lease.of(id)
    if kind == 'E' then
      local record = Url.find(id)
      if record and Url.has_body(record) then hold(Url.host_name(record)) end
      Lease.undo_end(id)
      urls = urls + 1
    elseif lease and lease.worker == worker then
      hold(lease.at)
      Lease.give_back(id, lease)
      if kind == 'L' then urls = urls + 1 end
    end
  end
end
return { finish_step(), urls }
