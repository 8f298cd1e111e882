package dev.weir.core.actions.authorization;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.network.InetAddresses;
import org.opensearch.common.xcontent.json.JsonXContent;
import org.opensearch.core.xcontent.DeprecationHandler;
import org.opensearch.core.xcontent.NamedXContentRegistry;
import org.opensearch.core.xcontent.XContentParser;

/**
 * A user as a node has authenticated it. Safe on any thread.
 *
 * @param roles the security roles that the node maps the user to
 * @param attributeNames the names of the user's attributes, without their values
 * @param headers what names the user in calls to nodes
 */
record AuthenticatedUser(
    String name, Set<String> roles, Set<String> attributeNames, UserHeaders headers) {
  static final String USER_HEADER = "_opendistro_security_user_header";
  private static final String REMOTE_ADDRESS_HEADER = "_opendistro_security_remote_address_header";
  private static final String ORIGIN_HEADER = "_opendistro_security_origin_header";
  private static final String SAME_SUBJECT_HEADER =
      "_opendistro_security_user_same_as_subject_header";
  private static final String CLUSTER_HEADER = "_opendistro_security_remotecn";

  /**
   * Reads what a node says about the client that asks (path {@code authinfo}).
   *
   * @param clusterName the cluster's own name
   * @throws IllegalArgumentException if it is not the answer about a user whom the gateway can name
   */
  static AuthenticatedUser parse(String response, String clusterName) {
    Map<String, Object> fields = readJson(response);
    String name = text(fields, "user_name");
    String address = text(fields, "remote_address");
    Set<String> roles = texts(fields, "roles");
    Set<String> backendRoles = texts(fields, "backend_roles");
    if (name == null
        || address == null
        || !isOrdinary(name)
        || !isPlain(name)
        || !roles.stream().allMatch(AuthenticatedUser::isPlain)
        || !backendRoles.stream().allMatch(AuthenticatedUser::isPlain)) {
      throw new IllegalArgumentException("got a user whom calls to nodes can't name");
    }
    return new AuthenticatedUser(
        name,
        roles,
        texts(fields, "custom_attribute_names"),
        new UserHeaders(
            new UserHeaders.Identity(
                name, backendRoles, roles, text(fields, "user_requested_tenant")),
            Map.of(
                REMOTE_ADDRESS_HEADER,
                UserHeaderWriter.writeAddress(parseAddress(address)),
                ORIGIN_HEADER,
                "REST",
                SAME_SUBJECT_HEADER,
                "true",
                CLUSTER_HEADER,
                clusterName)));
  }

  /** The memory of the user, roughly. */
  int bytes() {
    int bytes = headers.bytes();
    for (String role : roles) {
      bytes += role.length() + UserHeaders.STRING_BYTES;
    }
    for (String attribute : attributeNames) {
      bytes += attribute.length() + UserHeaders.STRING_BYTES;
    }
    return bytes;
  }

  /** Nodes give special rights to the names of administrators' certificates and of plugins. */
  private static boolean isOrdinary(String name) {
    return !name.isEmpty() && name.indexOf('=') < 0 && !name.startsWith("plugin:");
  }

  /** Nodes put names into queries of document-level security as they are. */
  private static boolean isPlain(String name) {
    return name.indexOf('"') < 0 && name.indexOf('\\') < 0 && !name.contains("${");
  }

  static Map<String, Object> readJson(String json) {
    try (XContentParser parser =
        JsonXContent.jsonXContent.createParser(
            NamedXContentRegistry.EMPTY, DeprecationHandler.THROW_UNSUPPORTED_OPERATION, json)) {
      return parser.map();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static @Nullable String text(Map<String, Object> fields, String key) {
    Object value = fields.get(key);
    if (value != null && !(value instanceof String)) {
      throw new IllegalArgumentException("got no text as " + key);
    }
    return (String) value;
  }

  private static Set<String> texts(Map<String, Object> fields, String key) {
    if (!(fields.get(key) instanceof List<?> values)) {
      throw new IllegalArgumentException("got no list as " + key);
    }
    Set<String> texts = new TreeSet<>();
    for (Object value : values) {
      texts.add((String) value);
    }
    return texts;
  }

  /** Parses an address and a port, as OpenSearch's {@code NetworkAddress} formats them. */
  private static InetSocketAddress parseAddress(String text) {
    int colon = text.lastIndexOf(':');
    String host = text.substring(0, Math.max(0, colon));
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    }
    InetAddress address = InetAddresses.forString(host);
    return new InetSocketAddress(address, Integer.parseInt(text.substring(colon + 1)));
  }
}
