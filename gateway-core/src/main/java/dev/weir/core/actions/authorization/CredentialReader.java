package dev.weir.core.actions.authorization;

import dev.weir.model.HttpExchange;
import dev.weir.model.NeutralHeaders;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads from a request all from which a node may tell who sends it: its headers, except those that
 * are known to say nothing about the sender, and the sender's address. A header that the gateway
 * does not know is taken for a credential. Safe on any thread.
 */
final class CredentialReader {
  /** Headers about the message and its response, in addition to {@link NeutralHeaders}. */
  private static final Set<String> MESSAGE_HEADERS =
      Set.of(
          "accept",
          "accept-charset",
          "accept-language",
          "cache-control",
          "content-type",
          "http2-settings",
          "pragma",
          "proxy-connection",
          "trailer",
          "upgrade",
          "x-weir-explain");

  private static final String AUTHORIZATION = "authorization";

  /** Begins the value of an Authorization header with a token that nodes accept only once. */
  private static final String SINGLE_USE_SCHEME = "Negotiate";

  /** The options of a Connection header that name no header of the client's. */
  private static final Set<String> CONNECTION_OPTIONS =
      Set.of("", "close", "keep-alive", "te", "upgrade", "http2-settings");

  private final FingerprintKey key = new FingerprintKey();
  private volatile Set<String> neutralHeaders;
  private volatile Coverage lastCoverage = new Coverage(Set.of(), Set.of(), true);

  /** Whether all of some headers counted as credentials, beside these neutral headers. */
  private record Coverage(Set<String> headers, Set<String> neutral, boolean isComplete) {}

  /**
   * Creates a reader.
   *
   * @param furtherNeutralHeaders names that the operator knows to say nothing about a client, in
   *     lower case
   */
  CredentialReader(Set<String> furtherNeutralHeaders) {
    this.neutralHeaders = neutral(furtherNeutralHeaders);
  }

  private static Set<String> neutral(Set<String> further) {
    Set<String> all = new HashSet<>(NeutralHeaders.NAMES);
    all.addAll(MESSAGE_HEADERS);
    all.addAll(further);
    return Set.copyOf(all);
  }

  /**
   * Takes other headers for neutral. What is known about clients stays usable: their fingerprints
   * have the headers that were read.
   */
  void updateNeutralHeaders(Set<String> names) {
    neutralHeaders = neutral(names);
  }

  /**
   * Reads the credentials of a request; null if a question to a node would use up its token, or if
   * its Connection header asks to remove headers, so that a node would not see what the gateway
   * sees.
   */
  @Nullable ClientCredentials read(HttpExchange exchange) {
    Set<String> neutral = neutralHeaders;
    List<Map.Entry<String, String>> credentials = new ArrayList<>();
    for (Map.Entry<String, String> header : exchange.headers()) {
      String name = header.getKey().toLowerCase(Locale.ROOT);
      if (name.equals("connection") && removesHeaders(header.getValue())) {
        return null;
      }
      if (name.equals(AUTHORIZATION) && isForSingleUse(header.getValue())) {
        return null;
      }
      if (!neutral.contains(name)) {
        credentials.add(Map.entry(name, header.getValue()));
      }
    }
    return new ClientCredentials(
        List.copyOf(credentials),
        exchange.remoteAddress(),
        fingerprint(credentials, exchange.remoteAddress()));
  }

  /**
   * Returns whether all of these headers count as credentials.
   *
   * @param names headers in which nodes look for users and addresses, in lower case
   */
  boolean readsAll(Set<String> names) {
    Set<String> neutral = neutralHeaders;
    Coverage known = lastCoverage;
    if (!known.headers.equals(names) || !known.neutral.equals(neutral)) { // they seldom change
      known = new Coverage(names, neutral, Collections.disjoint(names, neutral));
      lastCoverage = known;
    }
    return known.isComplete;
  }

  /** Whether a value has a Kerberos token: nodes take the same one for a replay the next time. */
  private static boolean isForSingleUse(String authorization) {
    return authorization
        .strip()
        .regionMatches(true, 0, SINGLE_USE_SCHEME, 0, SINGLE_USE_SCHEME.length());
  }

  private static boolean removesHeaders(String connection) {
    for (String option : connection.split(",", -1)) {
      if (!CONNECTION_OPTIONS.contains(option.strip().toLowerCase(Locale.ROOT))) {
        return true;
      }
    }
    return false;
  }

  private String fingerprint(List<Map.Entry<String, String>> headers, SocketAddress address) {
    MessageDigest hash = key.newHash();
    for (Map.Entry<String, String> header : headers) {
      ClientCredentials.update(hash, header.getKey());
      ClientCredentials.update(hash, header.getValue());
    }
    if (address instanceof InetSocketAddress internet && internet.getAddress() != null) {
      hash.update((byte) 1);
      hash.update(internet.getAddress().getAddress());
    } else {
      hash.update((byte) 2);
      ClientCredentials.update(hash, address.toString());
    }
    return Base64.getEncoder().encodeToString(hash.digest());
  }
}
