local entered = {}
for _, link in ipairs(Links.read(4)) do
  local name = link.known and ENDED_NAMES[Url.state_of(link.known)]
  local host = name and Host.named(link.host)
  if host and not Host.is_closed(host) then
    count(name, -1)
    Lease.forget_end(link.id)
    Url.name_parent(link.known, -1)
    Links.enter(host, link.id, link.record)
    entered[#entered + 1] = link.id
  end
end
local dropped = Links.make_room()
return { finish_step(), Links.stayed(entered, dropped) }
