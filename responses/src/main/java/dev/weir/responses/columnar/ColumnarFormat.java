package dev.weir.responses.columnar;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.core.common.Strings;
import org.opensearch.rest.RestRequest;

/** A columnar format of a search response. */
enum ColumnarFormat {
  JSON("application/vnd.weir.columnar+json", XContentType.JSON.mediaType()),
  CSV("text/csv", "text/csv; charset=UTF-8; header=present"),
  ARROW("application/vnd.apache.arrow.stream", "application/vnd.apache.arrow.stream");

  /** The request parameter that selects a columnar format. */
  static final String PARAMETER = "columnar";

  private final String acceptedMediaType;
  private final String contentType;

  ColumnarFormat(String accepted, String contentType) {
    this.acceptedMediaType = accepted;
    this.contentType = contentType;
  }

  /** Returns the media type of the response. */
  String contentType() {
    return contentType;
  }

  /**
   * Determines the format that a request selects, and consumes the parameter; null for an ordinary
   * response.
   *
   * @throws IllegalArgumentException if the parameter has an unknown value
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

  /** Returns the columnar format that {@code Accept} prefers to every media type of a node. */
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
