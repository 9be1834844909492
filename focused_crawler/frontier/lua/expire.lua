local urls, are_more = expire(500)
return { finish_step(), urls, are_more and 1 or 0 }
