package dev.weir.it.columnar;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads CSV as RFC 4180 has it; an empty cell without quotes is null. */
final class CsvReader {
  private final String text;
  private int at;

  private CsvReader(String text) {
    this.text = text;
  }

  static List<List<@Nullable String>> read(String text) {
    CsvReader csv = new CsvReader(text);
    List<List<@Nullable String>> lines = new ArrayList<>();
    while (csv.at < text.length()) {
      lines.add(csv.line());
    }
    return lines;
  }

  private List<@Nullable String> line() {
    List<@Nullable String> cells = new ArrayList<>();
    while (true) {
      cells.add(cell());
      if (text.startsWith("\r\n", at)) {
        at += 2;
        return cells;
      }
      if (at >= text.length() || text.charAt(at) != ',') {
        throw new AssertionError("got " + text.substring(at) + " (expected: , or CRLF)");
      }
      at++;
    }
  }

  private @Nullable String cell() {
    if (at < text.length() && text.charAt(at) == '"') {
      return quoted();
    }
    int from = at;
    while (text.charAt(at) != ',' && text.charAt(at) != '\r') {
      at++;
    }
    return from == at ? null : text.substring(from, at);
  }

  private String quoted() {
    StringBuilder cell = new StringBuilder();
    at++;
    while (true) {
      char c = text.charAt(at++);
      if (c != '"') {
        cell.append(c);
      } else if (at < text.length() && text.charAt(at) == '"') {
        cell.append('"');
        at++;
      } else {
        return cell.toString();
      }
    }
  }
}
