package dev.weir.bench;

import java.net.InetSocketAddress;

/**
 * One way into the cluster that is measured.
 *
 * @param name for the table
 * @param address where its REST endpoint is
 * @param pid its process
 */
public record MeasuredEndpoint(String name, InetSocketAddress address, long pid) {}
