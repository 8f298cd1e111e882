package dev.weir.routing.write;

/** How much is written. */
public record Amount(int documents, long bytes) {}
