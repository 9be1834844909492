local entered = {}
for _, link in ipairs(offered(4)) do
  local name = link.known and ENDED_NAMES[state_of(link.known)]
  local host = name and named(link.host)
  if host and not is_closed(host) then
    count(name, -1)
    forget_end(link.id)
    name_parent(link.known, -1)
    enter(host, link.id, link.record)
    entered[#entered + 1] = link.id
  end
end
local dropped = make_room()
return { finish_step(), stayed(entered, dropped) }
