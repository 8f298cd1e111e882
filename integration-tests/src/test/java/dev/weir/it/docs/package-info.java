/** That what the documents say is so: links, configurations, commands and what they print. */
@NullMarked
package dev.weir.it.docs;

import org.jspecify.annotations.NullMarked;
