package dev.weir.testkit.demo;

import java.time.LocalDate;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A shop's catalogue: text to search, keywords and numbers to filter and aggregate. */
record ProductCatalogueIndex(int products, LocalDate today) implements SampleIndex {
  private static final int SEED = 20_26;
  private static final List<String> BRANDS =
      List.of("Aldermoor", "Brook & Sons", "Cascade", "Fennick", "Holm", "Larkspur", "Nordvik");
  private static final List<String> MATERIALS =
      List.of("oak", "brass", "linen", "steel", "wool", "glass", "cork", "leather", "bamboo");
  private static final List<String> MANNERS =
      List.of("folding", "compact", "handmade", "foldable", "classic", "light", "sturdy", "small");
  private static final List<Category> CATEGORIES =
      List.of(
          new Category("Lighting", List.of("desk lamp", "floor lamp", "lantern", "pendant lamp")),
          new Category("Kitchen", List.of("kettle", "bread knife", "coffee mill", "salad bowl")),
          new Category("Outdoor", List.of("rain jacket", "tent", "water bottle", "sleeping bag")),
          new Category("Office", List.of("notebook", "pen tray", "standing desk", "office chair")),
          new Category("Home", List.of("blanket", "door mat", "wall clock", "picture frame")));

  private record Category(String name, List<String> things) {}

  @Override
  public String name() {
    return "products";
  }

  @Override
  public String creation(int replicas) {
    return """
    {
      "settings": {"number_of_shards": 3, "number_of_replicas": %d},
      "mappings": {
        "dynamic": "strict",
        "properties": {
          "name": {"type": "text", "analyzer": "english", "fields": {"raw": {"type": "keyword"}}},
          "description": {"type": "text", "analyzer": "english"},
          "brand": {"type": "keyword"},
          "category": {"type": "keyword"},
          "tags": {"type": "keyword"},
          "price": {"type": "scaled_float", "scaling_factor": 100},
          "rating": {"type": "half_float"},
          "reviews": {"type": "integer"},
          "in_stock": {"type": "boolean"},
          "released": {"type": "date", "format": "strict_date"},
          "dimensions": {"properties": {
            "weight_g": {"type": "integer"}, "height_mm": {"type": "short"}}}
        }
      }
    }
    """
        .formatted(replicas);
  }

  @Override
  public Stream<SampleDocument> documents() {
    RandomGenerator random = new Random(SEED);
    return IntStream.rangeClosed(1, products)
        .mapToObj(i -> new SampleDocument("P%05d".formatted(i), product(random)));
  }

  private String product(RandomGenerator random) {
    Category category = pick(CATEGORIES, random);
    String thing = pick(category.things(), random);
    String material = pick(MATERIALS, random);
    String manner = pick(MANNERS, random);
    String brand = pick(BRANDS, random);
    double price = Math.exp(random.nextDouble(1.5, 6.2));
    int reviews = (int) Math.exp(random.nextDouble(0, 7));
    return String.format(
        Locale.ROOT,
        "{\"name\":\"%s %s %s\",\"description\":\"%s\",\"brand\":\"%s\",\"category\":\"%s\","
            + "\"tags\":[\"%s\",\"%s\"],\"price\":%.2f,\"rating\":%.1f,\"reviews\":%d,"
            + "\"in_stock\":%b,\"released\":\"%s\","
            + "\"dimensions\":{\"weight_g\":%d,\"height_mm\":%d}}",
        manner,
        material,
        thing,
        description(thing, material, brand, random),
        brand,
        category.name(),
        material,
        manner,
        price,
        Math.min(5, 2.5 + random.nextGaussian(1, 0.8)),
        reviews,
        random.nextInt(10) > 1,
        today.minusDays(random.nextInt(1, 1500)),
        random.nextInt(50, 20_000),
        random.nextInt(20, 2_000));
  }

  private static String description(
      String thing, String material, String brand, RandomGenerator random) {
    String first = "A %s made of %s by %s".formatted(thing, material, brand);
    return first
        + pick(
            List.of(
                ", built to last a lifetime and easy to repair.",
                " for people who travel light and come back late.",
                ". Goes well with everything else in the series.",
                ", tested in wind and rain, and at many breakfast tables."),
            random);
  }

  private static <T> T pick(List<T> from, RandomGenerator random) {
    return from.get(random.nextInt(from.size()));
  }
}
