package dev.weir.routing.traffic;

import java.util.Arrays;

/**
 * Numbers by patterns, found by walking a name's characters: each pattern lies where the longest of
 * its texts ends: the one before its first star; the one behind its last star, read backwards; or
 * one between stars, which a name may have anywhere. What is found may match; whether it does is
 * for others to see. Confined to one thread while it is filled, immutable then.
 */
final class PatternTree {
  private static final int[] NONE = {};

  private final Node forwards = new Node();
  private final Node backwards = new Node();
  private final Node anywhere = new Node();

  /** A place in the tree. */
  private static final class Node {
    private char[] letters = {};
    private Node[] below = {};

    /** Whose pattern ends here, and has no star. */
    private int[] exact = NONE;

    /** Whose pattern has a star here. */
    private int[] open = NONE;

    private Node at(char letter) {
      int found = Arrays.binarySearch(letters, letter);
      return found < 0 ? add(letter, -found - 1) : below[found];
    }

    private Node add(char letter, int place) {
      char[] moreLetters = Arrays.copyOf(letters, letters.length + 1);
      Node[] moreBelow = Arrays.copyOf(below, below.length + 1);
      System.arraycopy(letters, place, moreLetters, place + 1, letters.length - place);
      System.arraycopy(below, place, moreBelow, place + 1, below.length - place);
      moreLetters[place] = letter;
      moreBelow[place] = new Node();
      letters = moreLetters;
      below = moreBelow;
      return moreBelow[place];
    }
  }

  /** How many numbers a walk gives at the place of a pattern. */
  int crowd(TextPattern pattern) {
    Node node = place(pattern);
    return pattern.plain() ? node.exact.length : node.open.length;
  }

  /** Adds a number that is larger than those before it, or the same. */
  void add(TextPattern pattern, int number) {
    Node node = place(pattern);
    if (pattern.plain()) {
      node.exact = with(node.exact, number);
    } else {
      node.open = with(node.open, number);
    }
  }

  private static int[] with(int[] numbers, int number) {
    if (numbers.length > 0 && numbers[numbers.length - 1] == number) {
      return numbers;
    }
    int[] more = Arrays.copyOf(numbers, numbers.length + 1);
    more[numbers.length] = number;
    return more;
  }

  private Node place(TextPattern pattern) {
    String head = pattern.head();
    String tail = pattern.tail();
    String within = pattern.within();
    if (within.length() > Math.max(head.length(), tail.length())) {
      return below(anywhere, within);
    }
    return tail.length() > head.length()
        ? below(backwards, new StringBuilder(tail).reverse())
        : below(forwards, head);
  }

  private static Node below(Node root, CharSequence text) {
    Node node = root;
    for (int i = 0; i < text.length(); i++) {
      node = node.at(text.charAt(i));
    }
    return node;
  }

  /** Looks through numbers. */
  interface Search {
    /**
     * Looks through a row of them.
     *
     * @param numbers ascending
     */
    void through(int[] numbers);
  }

  /** Gives all rows of numbers whose patterns may match a name. */
  void walk(String name, Search search) {
    walk(forwards, name, 0, search);
    if (anywhere.below.length > 0) {
      for (int from = 0; from < name.length(); from++) {
        walk(anywhere, name, from, search);
      }
    }
    Node node = backwards;
    for (int j = name.length() - 1; ; j--) {
      if (node.open.length > 0) {
        search.through(node.open);
      }
      int found = j >= 0 ? Arrays.binarySearch(node.letters, name.charAt(j)) : -1;
      if (found < 0) {
        break;
      }
      node = node.below[found];
    }
  }

  private static void walk(Node root, String name, int from, Search search) {
    Node node = root;
    int i = from;
    while (true) {
      if (node.open.length > 0) {
        search.through(node.open);
      }
      int found = i < name.length() ? Arrays.binarySearch(node.letters, name.charAt(i)) : -1;
      if (found < 0) {
        break;
      }
      node = node.below[found];
      i++;
    }
    if (i == name.length() && node.exact.length > 0) {
      search.through(node.exact);
    }
  }
}
