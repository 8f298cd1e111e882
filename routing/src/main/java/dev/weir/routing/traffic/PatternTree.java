package dev.weir.routing.traffic;

import java.util.Arrays;

/**
 * A tree that finds the patterns that may match a name. Each pattern is stored under its longest
 * literal text: the text before its first star, the text after its last star (in reverse), or one
 * between stars, which may appear anywhere in a name. The tree returns candidates; the caller
 * checks whether they match. Confined to one thread while it is filled, then immutable.
 */
final class PatternTree {
  private static final int[] NONE = {};

  private final Node forwards = new Node();
  private final Node backwards = new Node();
  private final Node anywhere = new Node();

  /** A node of the tree. */
  private static final class Node {
    private char[] letters = {};
    private Node[] children = {};

    /** The numbers of patterns without a star that end here. */
    private int[] exact = NONE;

    /** The numbers of patterns with a star here. */
    private int[] open = NONE;

    private Node child(char letter) {
      int found = Arrays.binarySearch(letters, letter);
      return found < 0 ? add(letter, -found - 1) : children[found];
    }

    private Node add(char letter, int place) {
      char[] moreLetters = Arrays.copyOf(letters, letters.length + 1);
      Node[] moreBelow = Arrays.copyOf(children, children.length + 1);
      System.arraycopy(letters, place, moreLetters, place + 1, letters.length - place);
      System.arraycopy(children, place, moreBelow, place + 1, children.length - place);
      moreLetters[place] = letter;
      moreBelow[place] = new Node();
      letters = moreLetters;
      children = moreBelow;
      return moreBelow[place];
    }
  }

  /** Returns the number of candidates under the key of a pattern. */
  int countAt(WildcardPattern pattern) {
    Node node = findOrAddNode(pattern);
    return pattern.isLiteral() ? node.exact.length : node.open.length;
  }

  /** Adds a number, which must not be smaller than those added before. */
  void add(WildcardPattern pattern, int number) {
    Node node = findOrAddNode(pattern);
    if (pattern.isLiteral()) {
      node.exact = append(node.exact, number);
    } else {
      node.open = append(node.open, number);
    }
  }

  private static int[] append(int[] numbers, int number) {
    if (numbers.length > 0 && numbers[numbers.length - 1] == number) {
      return numbers;
    }
    int[] more = Arrays.copyOf(numbers, numbers.length + 1);
    more[numbers.length] = number;
    return more;
  }

  private Node findOrAddNode(WildcardPattern pattern) {
    String head = pattern.prefix();
    String tail = pattern.suffix();
    String within = pattern.longestInfix();
    if (within.length() > Math.max(head.length(), tail.length())) {
      return addPath(anywhere, within);
    }
    return tail.length() > head.length()
        ? addPath(backwards, new StringBuilder(tail).reverse())
        : addPath(forwards, head);
  }

  private static Node addPath(Node root, CharSequence text) {
    Node node = root;
    for (int i = 0; i < text.length(); i++) {
      node = node.child(text.charAt(i));
    }
    return node;
  }

  /** Receives candidates. */
  interface Visitor {
    /**
     * Handles some candidates.
     *
     * @param numbers ascending
     */
    void visit(int[] numbers);
  }

  /** Passes on all numbers with patterns that may match a name. */
  void visitMatches(String name, Visitor search) {
    visitMatches(forwards, name, 0, search);
    if (anywhere.children.length > 0) {
      for (int from = 0; from < name.length(); from++) {
        visitMatches(anywhere, name, from, search);
      }
    }
    Node node = backwards;
    for (int j = name.length() - 1; ; j--) {
      if (node.open.length > 0) {
        search.visit(node.open);
      }
      int found = j >= 0 ? Arrays.binarySearch(node.letters, name.charAt(j)) : -1;
      if (found < 0) {
        break;
      }
      node = node.children[found];
    }
  }

  private static void visitMatches(Node root, String name, int from, Visitor search) {
    Node node = root;
    int i = from;
    while (true) {
      if (node.open.length > 0) {
        search.visit(node.open);
      }
      int found = i < name.length() ? Arrays.binarySearch(node.letters, name.charAt(i)) : -1;
      if (found < 0) {
        break;
      }
      node = node.children[found];
      i++;
    }
    if (i == name.length() && node.exact.length > 0) {
      search.visit(node.exact);
    }
  }
}
