package dev.weir.routing.traffic;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds the cluster that issued an id on one of its nodes: of a scroll, a point in time, an
 * asynchronous search or a task. All of them contain node ids, which are unique across clusters.
 *
 * <p>The first three are URL-safe base64 of length-prefixed texts ({@code TransportSearchHelper},
 * {@code SearchContextId}, {@code AsynchronousSearchIdConverter}); a task's id is {@code
 * NODE:NUMBER}. This class reads only texts with the length of a node id, because the rest of an id
 * differs between versions.
 */
public final class NodeIdFinder {
  /**
   * The length of 16 random bytes in base64 without padding ({@code
   * NodeEnvironment.generateNodeId}).
   */
  private static final int NODE_ID_LENGTH = 22;

  /** The minimum length of an id that contains a node id. */
  private static final int MIN_ENCODED_LENGTH = 32;

  private static final int MIN_DECODED_LENGTH = NODE_ID_LENGTH + 1;

  private NodeIdFinder() {}

  /**
   * Returns the owner of the first known id within a text, for example a path or a body.
   *
   * @param owner finds the owner of a node; null for an unknown node
   * @return null if there is no such id
   */
  public static <T> @Nullable T findOwner(CharSequence text, Function<String, @Nullable T> owner) {
    int length = text.length();
    for (int from = 0; from < length; ) {
      int to = wordEnd(text, from);
      T found = findOwnerOfWord(text, from, to, owner);
      if (found != null) {
        return found;
      }
      from = to + 1;
    }
    return null;
  }

  /**
   * Returns all known ids by owner, in the order in which the owners first appear.
   *
   * @param owner finds the owner of a node; null for an unknown node
   */
  public static <T> Map<T, List<String>> findOwners(
      CharSequence text, Function<String, @Nullable T> owner) {
    Map<T, List<String>> found = new LinkedHashMap<>();
    int length = text.length();
    for (int from = 0; from < length; ) {
      int to = wordEnd(text, from);
      T nodeOwner = findOwnerOfWord(text, from, to, owner);
      if (nodeOwner != null) {
        found
            .computeIfAbsent(nodeOwner, one -> new ArrayList<>())
            .add(text.subSequence(from, to).toString());
      }
      from = to + 1;
    }
    return found;
  }

  private static int wordEnd(CharSequence text, int from) {
    int to = from;
    while (to < text.length() && isLetter(text.charAt(to))) {
      to++;
    }
    return to;
  }

  private static <T> @Nullable T findOwnerOfWord(
      CharSequence text, int from, int to, Function<String, @Nullable T> owner) {
    if (to - from == NODE_ID_LENGTH && isBeforeNumber(text, to)) {
      return owner.apply(text.subSequence(from, to).toString());
    }
    return to - from >= MIN_ENCODED_LENGTH ? findEncodedOwner(text, from, to, owner) : null;
  }

  /** Returns true if {@code :} and a digit follow; in a path {@code :} may be {@code %3A}. */
  private static boolean isBeforeNumber(CharSequence text, int at) {
    int digit = at;
    if (at < text.length() && text.charAt(at) == ':') {
      digit = at + 1;
    } else if (at + 3 <= text.length()
        && "%3A".contentEquals(text.subSequence(at, at + 3).toString().toUpperCase(Locale.ROOT))) {
      digit = at + 3;
    }
    return digit > at && digit < text.length() && Character.isDigit(text.charAt(digit));
  }

  private static <T> @Nullable T findEncodedOwner(
      CharSequence text, int from, int to, Function<String, @Nullable T> owner) {
    int rest = (to - from) % 4;
    if (rest == 1) {
      return null;
    }
    byte[] bytes;
    try {
      bytes = Base64.getUrlDecoder().decode(text.subSequence(from, to).toString());
    } catch (IllegalArgumentException notEncoded) {
      return null;
    }
    for (int i = 0; i + MIN_DECODED_LENGTH <= bytes.length; i++) {
      if (bytes[i] == NODE_ID_LENGTH && isId(bytes, i + 1)) {
        T found =
            owner.apply(new String(bytes, i + 1, NODE_ID_LENGTH, StandardCharsets.ISO_8859_1));
        if (found != null) {
          return found;
        }
      }
    }
    return null;
  }

  private static boolean isId(byte[] bytes, int from) {
    for (int i = from; i < from + NODE_ID_LENGTH; i++) {
      if (!isLetter((char) bytes[i])) {
        return false;
      }
    }
    return true;
  }

  /** Returns true for the letters of URL-safe base64. */
  private static boolean isLetter(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '-'
        || c == '_';
  }
}
