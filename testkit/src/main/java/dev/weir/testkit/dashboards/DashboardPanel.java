package dev.weir.testkit.dashboards;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * A panel of a dashboard.
 *
 * @param tool which tool sends it
 * @param title for messages
 * @param query what the user typed into the tool's query bar, in Lucene syntax; may be empty
 * @param template the search without its query, see {@code panels.txt}
 */
public record DashboardPanel(DashboardTool tool, String title, String query, String template) {
  private static final String FILE = "panels.txt";

  /** Returns all panels, those of each tool together. */
  public static List<DashboardPanel> all() {
    return Holder.PANELS;
  }

  /** Returns the body of the panel's search. */
  String body(DashboardRange range) {
    long interval = tool.intervalSeconds(range);
    String body =
        template
            .replace("$interval", interval + "s")
            .replace("$half", Math.max(1, interval / 2) + "s")
            .replace("$from", Long.toString(range.from().toEpochMilli()))
            .replace("$to", Long.toString(range.lastMillis()));
    return "{\"query\":" + tool.query(range, query) + "," + body.substring(1);
  }

  private static List<DashboardPanel> parse(String text) {
    List<DashboardPanel> panels = new ArrayList<>();
    for (String block : text.split("\n\n")) {
      List<String> lines =
          block.lines().filter(line -> !line.isEmpty() && !line.startsWith("#")).toList();
      if (!lines.isEmpty()) {
        String[] title = lines.getFirst().split("\\|", -1);
        panels.add(
            new DashboardPanel(
                DashboardTool.of(title[0].strip()),
                title[1].strip(),
                title[2].strip(),
                lines.stream().skip(1).collect(Collectors.joining())));
      }
    }
    return List.copyOf(panels);
  }

  private static final class Holder {
    static final List<DashboardPanel> PANELS = parse(read());

    private static String read() {
      try (InputStream in = DashboardPanel.class.getResourceAsStream(FILE)) {
        return new String(Objects.requireNonNull(in, FILE).readAllBytes(), StandardCharsets.UTF_8);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
