-- The caller has stored what this worker has ended: of a URL that is done or failed only the state stays. So
-- many at a time.
local from, to = '[' .. WORKER .. '\0E', '(' .. WORKER .. '\0F'
local members = call('ZRANGEBYLEX', OWNED, from, to, 'LIMIT', 0, 500)
for _, member in ipairs(members) do
  local id = sub(member, #WORKER + 3)
  call('ZREM', OWNED, member)
  Lease.forget_end(id)
  local record = Url.find(id)
  local name = record and ENDED_NAMES[Url.state_of(record)]
  if name then
    Url.name_parent(record, -1)
    Url.save(id, name == 'done' and 'D' or 'F')
  end
end
return { finish_step(), #members }
