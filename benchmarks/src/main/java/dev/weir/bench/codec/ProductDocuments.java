package dev.weir.bench.codec;

import java.time.Instant;
import java.util.Locale;
import java.util.SplittableRandom;

/** Products of a shop, with texts in which words are as frequent as in prose. */
final class ProductDocuments {
  private static final Instant START = Instant.parse("2024-01-01T00:00:00Z");
  private static final String[] CATEGORIES = {
    "Kitchen",
    "Garden",
    "Toys",
    "Books",
    "Audio",
    "Office",
    "Sports",
    "Lighting",
    "Tools",
    "Pets",
    "Beauty",
    "Travel"
  };
  private static final String[] COLOURS = {
    "black", "white", "grey", "blue", "red", "green", "beige", "anthracite", "walnut"
  };
  private static final String[] MATERIALS = {
    "polyester", "stainless steel", "oak", "cotton", "aluminium", "glass", "recycled plastic"
  };

  private ProductDocuments() {}

  static String document(SplittableRandom random, int number) {
    String brand = RandomText.word(new SplittableRandom(RandomText.rank(random, 300)));
    String category = RandomText.pick(random, CATEGORIES);
    return String.format(
        Locale.ROOT,
        "{\"sku\":\"%s-%s-%d\",\"ean\":\"%d\",\"name\":\"%s %s %s %d\",\"brand\":\"%s\","
            + "\"categories\":[\"%s\",\"%s/%s\"],\"price\":%d.%02d,\"stock\":%d,\"rating\":%.1f,"
            + "\"reviews\":%d,\"updated\":\"%s\",\"description\":\"%s\",\"images\":[%s],"
            + "\"attributes\":{\"colour\":\"%s\",\"material\":\"%s\",\"weight_g\":%d,"
            + "\"size_mm\":[%d,%d,%d],\"warranty_months\":%d,\"origin\":\"%s\"}}",
        brand.toUpperCase(Locale.ROOT),
        RandomText.hex(random, 4),
        100_000 + number,
        4_000_000_000_000L + random.nextLong(999_999_999_999L),
        brand,
        RandomText.word(random),
        RandomText.word(random),
        100 * (1 + random.nextInt(40)),
        brand,
        category,
        category,
        RandomText.word(new SplittableRandom(category.hashCode() + RandomText.rank(random, 20))),
        1 + RandomText.rank(random, 900),
        random.nextInt(3) == 0 ? random.nextInt(100) : 99,
        RandomText.rank(random, 2000),
        1 + 4 * Math.sqrt(random.nextDouble()),
        RandomText.rank(random, 5000),
        START.plusSeconds(random.nextLong(70_000_000)),
        RandomText.words(random, 25 + random.nextInt(40)),
        images(random),
        RandomText.pick(random, COLOURS),
        RandomText.pick(random, MATERIALS),
        50 + RandomText.rank(random, 20_000),
        random.nextInt(10, 900),
        random.nextInt(10, 900),
        random.nextInt(10, 300),
        12 * (1 + random.nextInt(5)),
        RandomText.pick(random, "CN", "DE", "IT", "PL", "VN", "US"));
  }

  private static String images(SplittableRandom random) {
    StringBuilder images = new StringBuilder();
    int count = 1 + RandomText.rank(random, 4);
    for (int i = 0; i < count; i++) {
      images.append(i == 0 ? "" : ",").append("\"https://cdn.example.net/p/");
      images.append(RandomText.hex(random, 20)).append("-1200.webp\"");
    }
    return images.toString();
  }
}
