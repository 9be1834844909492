local urls, are_more = Lease.expire(500)
return { finish_step(), urls, are_more and 1 or 0 }
