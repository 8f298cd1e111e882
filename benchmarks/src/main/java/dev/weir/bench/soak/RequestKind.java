package dev.weir.bench.soak;

import java.util.function.LongFunction;

/**
 * A kind of request of the load.
 *
 * @param name for the output
 * @param share how many of a hundred requests are of this kind
 * @param hasOwnConnection whether each request opens a connection of its own
 * @param success what the beginning of a response without failures contains; empty if its status
 *     says it all
 * @param request returns the bytes of the n-th request on the wire
 */
record RequestKind(
    String name,
    int share,
    boolean hasOwnConnection,
    String success,
    LongFunction<byte[]> request) {}
