package dev.weir.config.policy;

/** What one request may hold of the gateway's memory, and what is kept for the others. */
public record RequestMemoryPolicy(
    @ConfigKey(
            value = "true",
            doc =
                "Whether a request that holds too much fails alone; otherwise only what all hold"
                    + " together is bounded.")
        boolean enabled,
    @ConfigKey(
            value = "40%",
            min = "1mb",
            max = "1tb",
            doc =
                "Bytes that one request may hold, on the heap: body, nodes' answers, what they are"
                    + " as objects, reductions, the answer until the client has taken it.")
        ByteSize maxBytes,
    @ConfigKey(
            value = "30%",
            min = "1mb",
            max = "1tb",
            doc =
                "Bytes that nodes' answers as objects, and what reductions make of them, may take"
                    + " for all requests together, on the heap.")
        ByteSize maxTotalReduceBytes,
    @ConfigKey(
            value = "0.8",
            min = "0.1",
            max = "1",
            doc =
                "What one request, or one tenant, may hold of the bytes that all may hold together"
                    + " (of bodies, answers, objects) while no other holds any; less, the more the"
                    + " others hold. 1: all that is there.")
        double maxPoolRatio) {}
