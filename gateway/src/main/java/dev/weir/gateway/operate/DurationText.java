package dev.weir.gateway.operate;

import dev.weir.client.settings.TimeValues;
import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads durations such as {@code 500ms}, {@code 60s}, {@code 5m} and {@code 4h}. */
final class DurationText implements ITypeConverter<Duration> {
  @Override
  public Duration convert(String text) {
    long millis = TimeValues.toMillis(text);
    if (millis < 0) {
      throw new TypeConversionException("got " + text + " (expected: such as 60s, 5m or 4h)");
    }
    return Duration.ofMillis(millis);
  }
}
