local entered = {}
for _, link in ipairs(Links.read(4)) do
  local old, new, id = link.known, link.record, link.id
  local state = old and Url.state_of(old)
  local is_dropped = state == 'X' or (state == 'P' and Host.is_closed(Host.named(Url.host_name(old))))
  local host = (not old or is_dropped) and Host.named(link.host)
  if host and not (is_dropped and Host.is_closed(host)) then
    if is_dropped then
      Url.name_parent(old, -1)
      if state == 'P' then
        Host.withdraw(Host.named(Url.host_name(old)), Url.entry_of(id, old))
      else
        count('dropped', -1)
      end
      new = Url.with_tries(new, Url.tries_of(old))
    end
    Links.enter(host, id, new)
    if not Host.is_closed(host) then entered[#entered + 1] = id end
  elseif state == 'P' or state == 'W' or state == 'X' then
    local higher = Links.is_higher(sub(new, 3, 10), sub(old, 3, 10))
    local depth = Url.depth_of(new)
    if higher or depth < Url.depth_of(old) then
      local origin = higher and sub(new, 15, 22) ~= NO_PARENT and Links.halves(new) or nil
      local priority = sub(higher and new or old, 3, 10)
      Links.improve(id, old, priority, min(depth, Url.depth_of(old)), origin)
    end
  end
end
local dropped = Links.make_room()
return { finish_step(), Links.stayed(entered, dropped) }
