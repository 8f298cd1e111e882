@org.jspecify.annotations.NullMarked
package dev.weir.bench.traffic;
