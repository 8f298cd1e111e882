package dev.weir.bluegreen.shadow;

/**
 * The source of shadow reads.
 *
 * @param cluster the name of the cluster that answers the clients
 * @param policy the name of their policy; empty for the whole gateway
 */
public record ReadSource(String cluster, String policy) {}
