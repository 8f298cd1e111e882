package dev.weir.bench.hostile;

import java.net.InetSocketAddress;
import java.util.Map;
import java.util.function.Function;

/**
 * Hostile clients of one kind.
 *
 * @param title for people
 * @param attack sends to an endpoint; returns the statuses that the clients got, with their counts
 * @param mustAnswer whether each client must get a response; one of a crowd may give up before
 */
record HostileCase(
    String title, Function<InetSocketAddress, Map<Integer, Integer>> attack, boolean mustAnswer) {}
