package dev.weir.bench.simulation;

import java.util.Locale;
import java.util.Map;

/** Draws quantiles of a scenario as bars on a logarithmic axis, as SVG. */
final class QuantilePlot {
  private static final int LEFT = 150;
  private static final int WIDTH = 640;
  private static final int ROW = 30;
  private static final int TOP = 34;

  private QuantilePlot() {}

  static String draw(SimulationScenario scenario, Map<SelectionStrategy, StrategyResult> ways) {
    double min = ways.values().stream().mapToDouble(StrategyResult::p50).min().orElse(1) / 2;
    double max = ways.values().stream().mapToDouble(StrategyResult::p999).max().orElse(10) * 1.5;
    int height = TOP + ROW * ways.size() + 30;
    StringBuilder svg = new StringBuilder();
    svg.append(
        String.format(
            Locale.ROOT,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\""
                + " font-family=\"sans-serif\" font-size=\"12\">%n"
                + "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>%n"
                + "<text x=\"10\" y=\"18\" font-size=\"14\">%s: p50, p99, p99.9 in ms</text>%n",
            LEFT + WIDTH + 60,
            height,
            scenario.name()));
    for (double tick = Math.pow(10, Math.ceil(Math.log10(min))); tick < max; tick *= 10) {
      double x = x(tick, min, max);
      svg.append(
          String.format(
              Locale.ROOT,
              "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#ddd\"/>"
                  + "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.0f</text>%n",
              x,
              TOP - 6,
              x,
              height - 24,
              x,
              height - 8,
              tick));
    }
    int row = 0;
    for (Map.Entry<SelectionStrategy, StrategyResult> entry : ways.entrySet()) {
      int y = TOP + ROW * row++;
      StrategyResult of = entry.getValue();
      svg.append(
          String.format(
              Locale.ROOT,
              "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>%n",
              LEFT - 8,
              y + 14,
              entry.getKey().label()));
      bar(svg, y, x(of.p999(), min, max), "#c9d8e8", of.p999());
      bar(svg, y, x(of.p99(), min, max), "#7ba3c9", of.p99());
      bar(svg, y, x(of.p50(), min, max), "#2d5f8f", of.p50());
    }
    return svg.append("</svg>\n").toString();
  }

  private static void bar(StringBuilder svg, int y, double to, String colour, double value) {
    svg.append(
        String.format(
            Locale.ROOT,
            "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"20\" fill=\"%s\"><title>%s ms</title>"
                + "</rect>%n",
            LEFT,
            y,
            Math.max(1, to - LEFT),
            colour,
            SimulationReport.formatNumber(value)));
  }

  private static double x(double value, double min, double max) {
    return LEFT + WIDTH * Math.log(Math.max(value, min) / min) / Math.log(max / min);
  }
}
