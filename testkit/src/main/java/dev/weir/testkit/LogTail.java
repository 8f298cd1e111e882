package dev.weir.testkit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The end of a log, for messages. */
final class LogTail {
  private static final int LINES = 25;

  private LogTail() {}

  /** The last lines of a file without stack frames, or that there are none. */
  static String of(Path file) {
    try {
      List<String> lines =
          new String(Files.readAllBytes(file), StandardCharsets.UTF_8)
              .lines()
              .filter(line -> !line.startsWith("\tat "))
              .toList();
      return lines.isEmpty()
          ? "(nothing written)"
          : String.join("\n", lines.subList(Math.max(0, lines.size() - LINES), lines.size()));
    } catch (IOException none) {
      return "(nothing written)";
    }
  }
}
