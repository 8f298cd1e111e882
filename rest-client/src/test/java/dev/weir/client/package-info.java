@NullMarked
package dev.weir.client;

import org.jspecify.annotations.NullMarked;
