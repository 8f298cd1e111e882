package dev.weir.it.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A Markdown document of the working tree.
 *
 * @param path of the file
 * @param name its path within the tree
 * @param blocks its fenced blocks, in order
 * @param prose its lines outside of blocks; blank lines in place of blocks
 */
record MarkdownDoc(Path path, String name, List<Block> blocks, List<String> prose) {
  private static final String FENCE = "```";
  private static final Path ROOT =
      Path.of(System.getProperty("weir.root", "..")).toAbsolutePath().normalize();

  /**
   * A fenced block.
   *
   * @param line its first line, from 1
   * @param tag the tag of its first fence
   * @param text its lines without the fences
   */
  record Block(String doc, int line, String tag, String text) {
    String where() {
      return doc + ":" + line;
    }
  }

  static Path root() {
    return ROOT;
  }

  /** Returns the documents of the root and of the folder docs, by name. */
  static List<MarkdownDoc> all() throws IOException {
    try (Stream<Path> root = Files.list(ROOT);
        Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
      return Stream.concat(root, docs)
          .filter(file -> file.toString().endsWith(".md"))
          .sorted()
          .map(MarkdownDoc::of)
          .toList();
    }
  }

  static MarkdownDoc of(Path file) {
    String name = ROOT.relativize(file).toString();
    List<String> lines;
    try {
      lines = Files.readAllLines(file);
    } catch (IOException e) {
      throw new UncheckedIOException("can't read " + name, e);
    }
    List<Block> blocks = new ArrayList<>();
    List<String> prose = new ArrayList<>();
    int begun = -1;
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      boolean fence = line.strip().startsWith(FENCE);
      prose.add(fence || begun >= 0 ? "" : line);
      if (fence && begun >= 0) {
        String tag = lines.get(begun).strip().substring(FENCE.length());
        String text = String.join("\n", lines.subList(begun + 1, i)).stripIndent() + "\n";
        blocks.add(new Block(name, begun + 1, tag, text));
        begun = -1;
      } else if (fence) {
        begun = i;
      }
    }
    if (begun >= 0) {
      throw new IllegalArgumentException(name + ":" + (begun + 1) + ": got no end of the block");
    }
    return new MarkdownDoc(file, name, blocks, prose);
  }

  /** Returns the anchors of its headings, as GitHub generates them. */
  Set<String> anchors() {
    Set<String> anchors = new HashSet<>();
    Map<String, Integer> seen = new HashMap<>();
    for (String line : prose) {
      if (line.matches("#{1,6} .*")) {
        String anchor = anchor(line.substring(line.indexOf(' ') + 1));
        int times = seen.merge(anchor, 1, Integer::sum);
        anchors.add(times == 1 ? anchor : anchor + "-" + (times - 1));
      }
    }
    return anchors;
  }

  private static String anchor(String heading) {
    return heading
        .replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1")
        .strip()
        .toLowerCase(Locale.ROOT)
        .replaceAll("[^\\p{L}\\p{N}\\- _]", "")
        .replace(' ', '-');
  }
}
