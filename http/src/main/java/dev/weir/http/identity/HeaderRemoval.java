package dev.weir.http.identity;

import io.netty.handler.codec.http.HttpHeaders;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Removes headers at a cost that grows with their number, not with its square: Netty's headers have
 * 16 buckets, and the removal of a name looks at all headers in one of them.
 */
public final class HeaderRemoval {
  /** Up to so many names are removed one by one, without a copy of the headers. */
  private static final int MAX_SINGLE_REMOVALS = 4;

  private HeaderRemoval() {}

  /**
   * Removes all headers with these names; the case does not matter. The others keep their order.
   *
   * @param names may contain a name several times
   */
  public static void removeAll(HttpHeaders headers, List<? extends CharSequence> names) {
    if (names.size() <= MAX_SINGLE_REMOVALS) {
      for (CharSequence name : names) {
        headers.remove(name);
      }
      return;
    }
    Set<String> unwanted = new HashSet<>();
    for (CharSequence name : names) {
      unwanted.add(lowerCase(name));
    }
    List<Map.Entry<CharSequence, CharSequence>> kept = new ArrayList<>();
    Iterator<Map.Entry<CharSequence, CharSequence>> all = headers.iteratorCharSequence();
    while (all.hasNext()) {
      Map.Entry<CharSequence, CharSequence> header = all.next();
      if (!unwanted.contains(lowerCase(header.getKey()))) {
        kept.add(Map.entry(header.getKey(), header.getValue()));
      }
    }
    headers.clear();
    for (Map.Entry<CharSequence, CharSequence> header : kept) {
      headers.add(header.getKey(), header.getValue());
    }
  }

  private static String lowerCase(CharSequence name) {
    return name.toString().toLowerCase(Locale.ROOT);
  }
}
