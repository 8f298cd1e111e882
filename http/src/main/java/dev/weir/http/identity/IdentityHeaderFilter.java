package dev.weir.http.identity;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes the headers of one connection's requests true: removes those that this client may not set,
 * and adds the user of its certificate. Immutable.
 */
public final class IdentityHeaderFilter {
  private final IdentityHeaderRules rules;
  private final boolean trusted;
  private final @Nullable CertificateIdentity identity;

  /**
   * Creates a filter.
   *
   * @param trusted whether the connection is a trusted proxy's, which names users itself
   * @param identity of the client's certificate; null for none
   */
  IdentityHeaderFilter(
      IdentityHeaderRules rules, boolean trusted, @Nullable CertificateIdentity identity) {
    this.rules = rules;
    this.trusted = trusted;
    this.identity = identity;
  }

  /**
   * Filters the headers of a request.
   *
   * @param http2 whether Netty has added headers of its own
   */
  public void filter(HttpHeaders headers, boolean http2) {
    List<CharSequence> unwanted = null;
    boolean nominates = false;
    Iterator<Map.Entry<CharSequence, CharSequence>> all = headers.iteratorCharSequence();
    while (all.hasNext()) {
      Map.Entry<CharSequence, CharSequence> header = all.next();
      CharSequence name = header.getKey();
      if (isUnwanted(name, http2)) {
        if (unwanted == null) {
          unwanted = new ArrayList<>(2);
        }
        unwanted.add(name);
      } else if (HttpHeaderNames.CONNECTION.contentEqualsIgnoreCase(name)) {
        nominates |= isNominating(header.getValue());
      }
    }
    if (unwanted != null) {
      HeaderRemoval.removeAll(headers, unwanted);
    }
    if (nominates) {
      keepNominatedIdentity(headers);
    }
    if (identity != null) {
      identity.addTo(headers);
    }
  }

  private boolean isUnwanted(CharSequence name, boolean http2) {
    return NodeInternalHeaders.isInternal(name)
        || (!trusted && rules.isIdentity(name))
        || (http2 && NodeInternalHeaders.startsWith(name, "x-http2-"));
  }

  private static boolean isNominating(CharSequence connection) {
    return !HttpHeaderValues.KEEP_ALIVE.contentEqualsIgnoreCase(connection)
        && !HttpHeaderValues.CLOSE.contentEqualsIgnoreCase(connection);
  }

  /**
   * Takes identity headers out of the Connection header, which names headers that a proxy has to
   * remove: a client must not be able to remove its own address, or the user that a proxy named.
   */
  private void keepNominatedIdentity(HttpHeaders headers) {
    List<String> lines = headers.getAll(HttpHeaderNames.CONNECTION);
    List<String> kept = new ArrayList<>();
    boolean changed = false;
    for (String line : lines) {
      for (String option : line.split(",", -1)) {
        String name = option.strip();
        if (rules.isIdentity(name)
            || NodeInternalHeaders.IMPERSONATE_AS.contentEqualsIgnoreCase(name)) {
          changed = true;
        } else {
          kept.add(name);
        }
      }
    }
    if (!changed) {
      return;
    }
    if (kept.isEmpty()) {
      headers.remove(HttpHeaderNames.CONNECTION);
    } else {
      headers.set(HttpHeaderNames.CONNECTION, String.join(", ", kept));
    }
  }
}
