package dev.weir.model;

import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A node of the cluster and its addresses.
 *
 * @param id the node's persistent id
 * @param ephemeralId changes with every start of the node
 * @param name the node's name
 * @param transport its transport publish address
 * @param http its REST publish address; null while unknown
 * @param roles role names such as {@code data}
 * @param attributes node attributes such as zone
 * @param version the OpenSearch version, such as 3.8.0
 * @param threadPoolSizes the sizes of its thread pools by name, as far as they are known
 * @param plugins the names of its plugins, without OpenSearch's own modules; null while unknown
 */
public record NodeEndpoint(
    String id,
    String ephemeralId,
    String name,
    InetSocketAddress transport,
    @Nullable InetSocketAddress http,
    Set<String> roles,
    Map<String, String> attributes,
    String version,
    Map<String, Integer> threadPoolSizes,
    @Nullable Set<String> plugins) {

  /** A node with unknown thread pool sizes and plugins. */
  public NodeEndpoint(
      String id,
      String ephemeralId,
      String name,
      InetSocketAddress transport,
      @Nullable InetSocketAddress http,
      Set<String> roles,
      Map<String, String> attributes,
      String version) {
    this(id, ephemeralId, name, transport, http, roles, attributes, version, Map.of(), null);
  }
}
