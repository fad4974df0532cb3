/** Who owns everything that the demonstration made. The address marks what the service has to remove. */
export const DEMO_OWNER = "demonstration@northwind.example";
