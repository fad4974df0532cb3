/** Who owns everything that the demonstration made. The address tells the service what to remove. */
export const DEMO_OWNER = "demonstration@northwind.example";
