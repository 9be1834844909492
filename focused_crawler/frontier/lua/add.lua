local entered = {}
for _, link in ipairs(offered(4)) do
  local old, new, id = link.known, link.record, link.id
  local state = old and state_of(old)
  local is_dropped = state == 'X' or (state == 'P' and is_closed(named(host_name(old))))
  local host = (not old or is_dropped) and named(link.host)
  if host and not (is_dropped and is_closed(host)) then
    if is_dropped then
      name_parent(old, -1)
      if state == 'P' then
        withdraw(named(host_name(old)), entry_of(id, old))
      else
        count('dropped', -1)
      end
      new = with_tries(new, tries_of(old))
    end
    enter(host, id, new)
    if not is_closed(host) then entered[#entered + 1] = id end
  elseif state == 'P' or state == 'W' or state == 'X' then
    local higher = is_higher(sub(new, 3, 10), sub(old, 3, 10))
    local depth = depth_of(new)
    if higher or depth < depth_of(old) then
      local origin = higher and sub(new, 15, 22) ~= NO_PARENT and halves(new) or nil
      improve(id, old, higher and sub(new, 3, 10) or sub(old, 3, 10), min(depth, depth_of(old)), origin)
    end
  end
end
local dropped = make_room()
return { finish_step(), stayed(entered, dropped) }
