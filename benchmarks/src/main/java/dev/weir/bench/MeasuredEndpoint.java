package dev.weir.bench;

import java.net.InetSocketAddress;

/**
 * A measured path into the cluster.
 *
 * @param name for the table
 * @param address of its REST endpoint
 * @param pid of its process
 */
public record MeasuredEndpoint(String name, InetSocketAddress address, long pid) {}
