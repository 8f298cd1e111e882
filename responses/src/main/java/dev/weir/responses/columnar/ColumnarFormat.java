package dev.weir.responses.columnar;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.core.common.Strings;
import org.opensearch.rest.RestRequest;

/** How the columns of an answer are written. */
enum ColumnarFormat {
  JSON("application/vnd.weir.columnar+json", XContentType.JSON.mediaType()),
  CSV("text/csv", "text/csv; charset=UTF-8; header=present"),
  ARROW("application/vnd.apache.arrow.stream", "application/vnd.apache.arrow.stream");

  /** The parameter that asks for columns. */
  static final String PARAMETER = "columnar";

  private final String acceptedMediaType;
  private final String contentType;

  ColumnarFormat(String accepted, String contentType) {
    this.acceptedMediaType = accepted;
    this.contentType = contentType;
  }

  /** The media type of answers. */
  String contentType() {
    return contentType;
  }

  /**
   * What a request asks for, whose parameter is consumed; null for an ordinary answer.
   *
   * @throws IllegalArgumentException when the parameter is none that is known
   */
  static @Nullable ColumnarFormat fromRequest(RestRequest request) {
    String parameter = request.param(PARAMETER);
    if (parameter == null) {
      return accepted(request);
    }
    return switch (parameter) {
      case "", "true" -> {
        ColumnarFormat accepted = accepted(request);
        yield accepted == null ? JSON : accepted;
      }
      case "false" -> null;
      default -> fromParameter(parameter);
    };
  }

  private static ColumnarFormat fromParameter(String parameter) {
    for (ColumnarFormat format : values()) {
      if (format.name().toLowerCase(Locale.ROOT).equals(parameter)) {
        return format;
      }
    }
    throw new IllegalArgumentException(
        "got ["
            + parameter
            + "] for ["
            + PARAMETER
            + "] (expected: true, false, json, csv or arrow)");
  }

  /** What is rather accepted than anything that a node answers with. */
  static @Nullable ColumnarFormat accepted(RestRequest request) {
    String header = request.header("Accept");
    if (header == null) {
      return null;
    }
    ColumnarFormat best = null;
    double bestWeight = 0;
    double otherWeight = 0;
    for (String range : Strings.tokenizeToStringArray(header, ",")) {
      String[] parts = Strings.tokenizeToStringArray(range, ";");
      if (parts.length == 0) {
        continue;
      }
      double weight = parseQuality(parts);
      ColumnarFormat format = ofMediaType(parts[0].trim());
      if (format == null) {
        otherWeight = Math.max(otherWeight, weight);
      } else if (weight > bestWeight) {
        best = format;
        bestWeight = weight;
      }
    }
    return bestWeight > otherWeight ? best : null;
  }

  private static @Nullable ColumnarFormat ofMediaType(String type) {
    for (ColumnarFormat format : values()) {
      if (format.acceptedMediaType.equalsIgnoreCase(type)) {
        return format;
      }
    }
    return null;
  }

  private static double parseQuality(String[] parts) {
    for (int i = 1; i < parts.length; i++) {
      String parameter = parts[i].trim();
      if (parameter.startsWith("q=")) {
        try {
          return Double.parseDouble(parameter.substring(2));
        } catch (NumberFormatException unreadable) {
          return 0;
        }
      }
    }
    return 1;
  }
}
